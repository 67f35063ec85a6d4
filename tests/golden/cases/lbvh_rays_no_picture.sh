gpubench lbvh --op=trace --rays=8 --rays-kind=shadow --write=picture.ppm cpu/stack
status=$?
gpubench lbvh --op=trace --rays=8 --order=spatial --write=picture.ppm cpu/stack
ls
exit $status
