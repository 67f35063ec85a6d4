gpubench --help
