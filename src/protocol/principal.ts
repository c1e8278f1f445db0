/** What a verified token stands for: a user, or a program. Made by `auth/`, carried by every request. */
export interface Principal {
  /** What vouches for the subject: an issuer URL, or `mooring` for local tokens. */
  readonly issuer: string
  readonly subject: string
  /** Issuer, NUL, subject: equal exactly when the principal is the same. Never logged or shown. */
  readonly key: string
}

/**
 * A principal as people who look after the pool read it: the name its issuer knows it by, and
 * the issuer where that is not mooring itself. It may repeat, and it authorizes nothing.
 */
export function labelOfPrincipal (key: Principal['key']): string {
  const [issuer = '', ...subject] = key.split('\0')
  const name = subject.join(' ')
  return issuer === 'mooring' ? name : `${name} (${issuer})`
}
