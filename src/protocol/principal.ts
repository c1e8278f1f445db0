/** Who a verified token stands for. Made by `auth/`, carried by every request. */
export interface Principal {
  /** Whoever vouches for the subject: an issuer URL, or `mooring` for local tokens. */
  readonly issuer: string
  readonly subject: string
  /** Issuer, NUL, subject: equal exactly when the principal is the same. Never logged or shown. */
  readonly key: string
}
