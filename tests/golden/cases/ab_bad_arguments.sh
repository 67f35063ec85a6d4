gpubench ab a="$(command -v gpubench)" --aa --launches=2 -- radix --count=minus
