/* sha256.h -- SHA-256 (FIPS 180-4), by which records name the file of a plug-in. */
#ifndef GPUBENCH_CLI_PLUGINS_SHA256_H
#define GPUBENCH_CLI_PLUGINS_SHA256_H

#include <stddef.h>

#include "common/status.h"

/* The digest in hexadecimal. */
void gb_sha256(const void *data, size_t bytes, char hex[65]);
enum gb_status gb_sha256_file(const char *path, char hex[65], struct gb_error *err);

#endif
