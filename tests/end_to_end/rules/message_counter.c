// Counts the messages that MPICH passes to UCX, if it is preloaded. With MPIR_CVAR_NOLOCAL=1 these are all messages.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

struct Sent {
  long messages, bytes;
};
static struct Sent sent;

struct Sent messages_sent(void) { return sent; }

typedef void* Send(void* endpoint, const void* buffer, size_t count, uint64_t tag, const void* parameters);

void* ucp_tag_send_nbx(void* endpoint, const void* buffer, size_t count, uint64_t tag, const void* parameters) {
  static Send* next = NULL;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
  ++sent.messages;
  sent.bytes += (long)count;
  return next(endpoint, buffer, count, tag, parameters);
}
