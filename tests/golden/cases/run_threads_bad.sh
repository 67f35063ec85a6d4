gpubench run --threads=many
