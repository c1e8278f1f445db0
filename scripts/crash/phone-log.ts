/**
 * What phones say was done to them, held against what the gateway promised: on each phone fences
 * only rise, a fence stands for one client, and nothing is done under one fence while something
 * is still being done under another.
 */
export interface LoggedAction {
  readonly phone: string
  readonly operation: string
  readonly fence: number
  /** The arguments, as JSON. */
  readonly words: string
  readonly begunAtMs: number
  readonly endedAtMs: number | undefined
}

export interface PhoneLogCheck {
  /** Reads on; the actions of one phone come in the order in which they began. @returns what is wrong */
  read (actions: readonly LoggedAction[]): readonly string[]
  /** Whose fence it is, as the gateway told it. */
  expect (phone: string, fence: number, client: string): void
}

interface PhoneHistory {
  fence: number
  /** When what was done under that fence, or one before, was over. */
  quietAtMs: number
  readonly clients: Map<number, string>
}

/** `clientOf` says which client an action shows; undefined for one that shows none. */
export function createPhoneLogCheck (clientOf: (action: LoggedAction) => string | undefined): PhoneLogCheck {
  const histories = new Map<string, PhoneHistory>()

  function historyOf (phone: string): PhoneHistory {
    const history = histories.get(phone) ?? { fence: 0, quietAtMs: -Infinity, clients: new Map() }
    histories.set(phone, history)
    return history
  }

  function problemsOf (action: LoggedAction): readonly string[] {
    const { phone, operation, fence, begunAtMs, endedAtMs = Infinity } = action
    const history = historyOf(phone)
    const problems: string[] = []
    if (fence < history.fence) problems.push(`${phone} was told ${operation} under fence ${fence} after fence ${history.fence}`)
    if (fence !== history.fence && begunAtMs < history.quietAtMs) problems.push(`${phone} began ${operation} under fence ${fence} while it obeyed fence ${history.fence}`)
    const client = clientOf(action)
    const holder = history.clients.get(fence)
    if (client !== undefined && holder !== undefined && client !== holder) problems.push(`${phone} obeyed ${client} under fence ${fence} of ${holder}`)
    if (client !== undefined && holder === undefined) history.clients.set(fence, client)
    history.fence = Math.max(history.fence, fence)
    history.quietAtMs = Math.max(history.quietAtMs, endedAtMs)
    return problems
  }

  return {
    read: (actions) => actions.toSorted((a, b) => a.begunAtMs - b.begunAtMs).flatMap(problemsOf),
    expect (phone, fence, client) { historyOf(phone).clients.set(fence, client) }
  }
}
