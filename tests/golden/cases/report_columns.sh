# The state of the GPU has columns if it varies much or is asked for.
record() { # N CLOCK TEMPERATURE THROTTLED
	printf '{"type":"record","schema":2,"run_id":"a","bench":"radix","backend":"cuda","variant":"v","key":"radix/cuda/v n=%s","params":{"n":%s},"status":"ok","verify":{"result":"pass"},"time":{"clock":"events","median":5000,"samples":[5000]},"gpu_state":{"sm_clock_hz":[1e9,%s,2e9],"temperature_c":[30,%s],"power_w":[100,120.5],"energy_j":7.25,"throttled_s":%s,"throttled_samples":0,"throttle":[]},"metrics":{"local_bytes_per_thread":1728}}\n' "$1" "$@"
}
{ record 1 1980e6 40 0; record 2 1975e6 41 0; } >same.jsonl
{ record 1 1980e6 40 0; record 2 1410e6 82 1.5; } >varies.jsonl
gpubench report same.jsonl
gpubench report --columns=clock,power,energy,local same.jsonl
gpubench report varies.jsonl --format=markdown
gpubench report --columns=clock,joules same.jsonl
