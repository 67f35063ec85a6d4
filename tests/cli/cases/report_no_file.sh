gpubench report
