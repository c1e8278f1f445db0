/**
 * A mailbox: the changes to one device, one after the other, in the order they came.
 *
 * Without turns a store might answer the second of two changes before the first, and what is kept
 * in memory of the device would go on with what is no longer true.
 *
 * A change to several devices waits for its turn in all of their mailboxes. It takes its place in
 * all of them at the same instant, so two such changes never wait for each other.
 */
export interface Mailbox {
  /** The turn that was asked for last; undefined when nothing is under way. */
  last: Promise<unknown> | undefined
}

export function createMailbox (): Mailbox {
  return { last: undefined }
}

/** Runs `work` after everything that was posted before in these mailboxes. */
export function inTurn<T> (mailboxes: readonly Mailbox[], work: () => Promise<T>): Promise<T> {
  const before = mailboxes.flatMap(({ last }) => last ?? [])
  const turn = before.length === 0 ? work() : Promise.allSettled(before).then(work)
  for (const mailbox of mailboxes) mailbox.last = turn
  const leave = () => {
    for (const mailbox of mailboxes) if (mailbox.last === turn) mailbox.last = undefined
  }
  turn.then(leave, leave)
  return turn
}
