# The HTML report is one page that loads no other file. Hostile names are escaped.
line() { # SEQ VARIANT COUNT NS STATUS
	printf '{"type":"record","schema":2,"run_id":"r","seq":%s,"key":"radix/cpu/%s count=%s type=u32","bench":"radix","backend":"cpu","variant":"%s","params":{"count":%s,"type":"u32"},"status":"ok","verify":{"result":"pass"},"cold":true,"work":{"unit":"keys"},"time":{"median":%s,"ci95":[%s,%s],"samples":[%s]}}\n' $1 "$2" $3 "$2" $3 $4 $4 $4 $4
}
{
	printf '{"type":"run","schema":2,"run_id":"r","started":"2026-01-01T00:00:00Z","host":{"hostname":"<b>&\\"x"}}\n'
	line 0 'best<script>' 1000 5000
	line 1 'best<script>' 2000 9000
	line 2 'best<script>' 4000 20000
	line 3 lsd8 1000 6000
	printf '{"type":"record","schema":2,"run_id":"r","seq":4,"key":"radix/cuda/split count=1000 type=u32","bench":"radix","backend":"cuda","variant":"split","params":{"count":1000,"type":"u32"},"status":"skipped","reason":"no <GPU>"}\n'
} >in.jsonl
gpubench report --format=html in.jsonl >page.html || exit
echo "charts: $(grep -c '<figure></figure>' page.html), tables: $(grep -c '<table' page.html)"
grep -c 'no &lt;GPU&gt;' page.html
sed '/^<script>$/,/^<.script>$/d' page.html | grep -i '<script\|http\|<b>\|nan\|inf"'
head -n 1 page.html
tail -n 1 page.html
