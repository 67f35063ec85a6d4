# The build leaves out each optional library whose header is missing.
# The test removes the settings of an outer make.
here=$PWD
unset MAKEFLAGS MFLAGS MAKELEVEL
make -C "$TESTS/.." -pn MODE=release CUDA=0 CXX=false 2>/dev/null >"$here/rules"
grep -E '^have_(boost|embree|graphblas|hwy|png) :=' "$here/rules" >"$here/found"
sort "$here/found"
