/* link.c -- see link.h. */
#include "cli/plugins/link.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

bool gb_message_send(int socket, const struct gb_message *message)
{
	ssize_t sent;

	do
		sent = send(socket, message, sizeof *message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)sizeof *message;
}

bool gb_message_receive(int socket, struct gb_message *message)
{
	ssize_t got;

	do
		got = recv(socket, message, sizeof *message, 0);
	while (got < 0 && errno == EINTR);
	message->text[sizeof message->text - 1] = '\0';
	return got == (ssize_t)sizeof *message;
}

void *gb_link_map(int file, size_t bytes, bool writes)
{
	void *p = mmap(NULL, bytes + !bytes, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED,
		       file, 0);

	return p == MAP_FAILED ? NULL : p;
}
