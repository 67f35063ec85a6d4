# --resume refuses records of another machine, build or setup. --resume=any accepts them.
# Without /sys, the name of the host is a part of the CPU's identity.
copy() {
	gpubench stream cpu/copy --samples=1 --warmup=0 -q "$@"
}
copy --hot --count=10 -o out.jsonl || exit
copy --count=10,20 --resume -o out.jsonl
for change in hostname=elsewhere cpu=Z80 commit=0123456789ab compiler=tcc cflags=-O0 version=0.0.1 mode=other kernel=0; do
	sed "s/\"${change%=*}\":\"[^\"]*\"/\"${change%=*}\":\"${change#*=}\"/" out.jsonl >other.jsonl
	cp other.jsonl before
	copy --hot --count=10,20 --resume -o other.jsonl 2>err
	echo "$? $(sed 's/Z80, .*, now/Z80, ..., now/; s/, now .* (/, now ... (/
		s/CPU: .*, on elsewhere/host: elsewhere/' err)"
	cmp other.jsonl before || exit
done
sed 's/"device":0/"device":1/' out.jsonl >other.jsonl
copy --hot --count=10,20 --resume -o other.jsonl
sed 's/"gpus":\[\]/"gpus":[{"id":0,"name":"H100","uuid":"GPU-1"}]/' out.jsonl >gpu.jsonl
copy --hot --count=10,20 --resume -o gpu.jsonl 2>err
sed 's/, now .* (/, now ... (/' err
copy --count=10,20 --resume=any -o other.jsonl || exit
grep -c '"type":"record"' other.jsonl
copy --resume=all -o other.jsonl
