#!/bin/sh -eu
# sorts.sh GPUBENCH-PTX: every type, value and distribution of keys at odd sizes, by all CUDA sorts.
sort() {
	"$@" --warmup=0 --samples=1 --verify=all --hot --quiet --output=- --values=none,index,u32,u64 \
		--distribution="$distributions" >/dev/null
}
distributions=$("$1" radix --help | tr -d ' \n' | sed 's/.*NaNs:\(uniform[a-z0-5|]*special\).*/\1/' | tr '|' ,)
sort "$1" radix --backend=cuda --type=u8,u16,u32,u64,i32,i64,f32,f64 --count=1,31,1023,3001,12289
sort "$1" radix --backend=cuda --type=u16,u32,u64,i32,i64,f32,f64 --count=3001 --bits=3:14
sort "$1" radix --backend=cuda --type=u64,i64,f64 --count=3001 --bits=17:47
sort "$1" radix segments cub-segments --type=u8,u16,u32,u64,i32,i64,f32,f64 --count=9001 \
	--segments=37,1999 --lengths=equal,uniform,zipf
