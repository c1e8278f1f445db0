/**
 * The exchange carries messages from one virtual phone to another. It keeps no message: it hands
 * each to the phone that has the number, at once, or says that no phone has it.
 *
 * A number is the only way to a phone, and a secret. It is drawn at random from 10^16, a holder
 * finds it on its own phone alone, and it ends with the lease (`virtual-driver.ts`) or when the
 * phone is made as new. So holders hear each other only if one of them was told a number of the
 * other's, and not for longer than both leases last.
 */
import type { Ids } from '../../runtime/ids.ts'
import type { JsonValue } from './apps/json-value.ts'

export interface Message {
  /** The number of the phone that sent it. */
  readonly from: string
  /** The app that sent it, and that gets it. */
  readonly app: string
  readonly content: JsonValue
}

/** What a phone has of the exchange while it has a number. */
export interface PhoneLine {
  /** Sixteen digits in groups of four. */
  readonly number: string
  /** Whether a phone with that number took the message. */
  send (to: string, message: Omit<Message, 'from'>): boolean
  /** Gives the number up: nothing arrives at it any more, and nothing goes out. */
  end (): void
}

export interface Exchange {
  /** @param receive takes a message, or returns false when it has no room for it */
  connect (receive: (message: Message) => boolean): PhoneLine
}

const numbers = 10n ** 16n
const mostDraws = 100

export function createExchange (ids: Pick<Ids, 'bytes'>): Exchange {
  const receivers = new Map<string, (message: Message) => boolean>()

  function drawNumber (): string {
    for (let draw = 0; draw < mostDraws; draw += 1) {
      const digits = String(ids.bytes(16).readBigUInt64BE() % numbers).padStart(16, '0')
      if (!receivers.has(digits)) return digits
    }
    throw new Error('the source of randomness repeats itself')
  }

  return {
    connect (receive) {
      const digits = drawNumber()
      const number = digits.replace(/(?!^)(?=(?:\d{4})+$)/g, ' ')
      receivers.set(digits, receive)
      return {
        number,
        send (to, message) {
          if (receivers.get(digits) !== receive) return false
          return receivers.get(digitsOf(to))?.({ ...message, from: number }) ?? false
        },
        end () {
          if (receivers.get(digits) === receive) receivers.delete(digits)
        }
      }
    }
  }
}

/** A number as people type it, with or without blanks and hyphens. */
function digitsOf (text: string): string {
  return text.slice(0, 64).replace(/[\s-]/g, '')
}
