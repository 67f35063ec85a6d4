# Temporary files are made in $TMPDIR and removed. The exit status is 5 if $TMPDIR does not exist.
mkdir tmp
cat >program <<'EOF'
#!/bin/sh
ls "$TMPDIR" >>seen
exec gpubench "$@"
EOF
chmod +x program
set -- radix cpu/best --count=1k --threads=1 --samples=1
TMPDIR=$PWD/tmp gpubench ab a=./program b=./program --launches=1 -q -- "$@" >table
sed 's/gpubench-......\.jsonl/gpubench-XXXXXX.jsonl/' seen
TMPDIR=$PWD/tmp gpubench "$@" -q --runs=2 >table; echo "status $?"
ls -A tmp
TMPDIR=nowhere gpubench ab a=./program b=./program -- "$@"; echo "status $?"
TMPDIR=nowhere gpubench "$@" -q --runs=2; echo "status $?"
TMPDIR='' gpubench "$@" -q --runs=2 >table; echo "status $?"
