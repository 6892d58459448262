/**
 * Header fields of every page. Nothing is loaded from elsewhere, nothing inline is run, no other site may frame a page,
 * and forms go only to this hub.
 */
export const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // What a page shows depends on the cookie, and an answer at `/` on what the client accepts.
  'Cache-Control': 'private, no-store',
  Vary: 'Accept, Cookie',
} as const;
