gpubench lbvh --op=trace --rays=8 --rays-kind=shadow --image=picture.ppm cpu/stack
status=$?
gpubench lbvh --op=trace --rays=8 --rays-order=sorted --image=picture.ppm cpu/stack
ls
exit $status
