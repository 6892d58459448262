/** Whether an address names this machine itself. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whether a token may be sent: over TLS, or without leaving this machine. Anyone on the way reads it otherwise. */
export function mayCarryToken(url: URL): boolean {
  return url.protocol === 'https:' || isLoopback(url);
}
