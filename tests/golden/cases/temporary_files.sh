# ab makes its temporary files in $TMPDIR and removes them. The exit status is 5 if $TMPDIR does not
# exist. --repetitions needs none.
mkdir tmp
cat >program <<'END'
#!/bin/sh
ls "$TMPDIR" >>seen
exec gpubench "$@"
END
chmod +x program
set -- radix cpu/best --count=1k --threads=1 --samples=1
TMPDIR=$PWD/tmp gpubench ab a=./program b=./program --repetitions=1 --all -q -- "$@" >table
sed 's/gpubench-......\.jsonl/gpubench-XXXXXX.jsonl/' seen
TMPDIR=$PWD/tmp gpubench "$@" -q --repetitions=2 >table; echo "status $?"
ls -A tmp
TMPDIR=nowhere gpubench ab a=./program b=./program -- "$@"; echo "status $?"
TMPDIR=nowhere gpubench "$@" -q --repetitions=2 >table; echo "status $?"
ln -s "$(command -v gpubench)" link
TMPDIR='' gpubench ab a=./link b=./link --repetitions=1 --all -q -- "$@" >table; echo "status $?"
