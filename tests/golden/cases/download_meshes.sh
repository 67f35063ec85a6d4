# The archives lie on this machine: one is right, one has another sum, one is missing, and one lacks
# the member. One without a sum is on a server without TLS. The last entry is fetched too.
# If curl, tar or unzip is missing, the test prints the expected output instead.
for tool in curl tar unzip; do
	command -v $tool >/dev/null || { cat "$TESTS/golden/cases/download_meshes.out"; exit 1; }
done
mkdir -p scripts datasets/mesh held
cp "$TESTS/../scripts/download-meshes.sh" scripts
echo ply >held/good.ply
tar -C held -czf good.tar.gz good.ply
sum=$(sha256sum good.tar.gz | cut -d' ' -f1)
mesh() {
	printf 'MESH("%s", 1, 0, "", "file://%s/%s", "%s",\n     "%s", { { 0 } })\n' "$1" "$PWD" "$2" "$3" "$4"
}
{
	echo '/* a manifest */'
	mesh other.ply good.tar.gz good.ply 0123
	mesh absent.ply absent.tar.gz good.ply ''
	printf 'MESH("plain.ply", 1, 0, "", "http://localhost/m.tar.gz", "m", "",\n     { { 0 } })\n'
	mesh without.ply good.tar.gz another.ply "$sum"
	mesh good.ply good.tar.gz good.ply "$sum"
} >datasets/mesh/meshes.def
scripts/download-meshes.sh meshes 2>all.txt
status=$?
scripts/download-meshes.sh meshes 2>/dev/null
ls meshes
grep '^scripts' all.txt >told.txt
sed "s|$PWD|HERE|; s/$sum/SUM/" told.txt
exit $status
