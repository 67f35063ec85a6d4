# Without a header the build leaves out what needs it.  (`make` of an outer make: not its settings.)
here=$PWD
unset MAKEFLAGS MFLAGS MAKELEVEL
make -C "$TESTS/.." -pn MODE=release CUDA=0 CXX=false 2>/dev/null >"$here/rules"
grep -E '^have_(hwy|png|embree) :=|^cxx_sources' "$here/rules" >"$here/found"
sort "$here/found"
