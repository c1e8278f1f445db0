import { Refusal } from '../refusals/refusal.ts'
import { cut, quote, word } from '../text/quote.ts'
import type { Point } from './device-types.ts'

/** The phone does not answer now. */
export class DeviceOfflineRefusal extends Refusal {
  readonly code = 'device_offline'
  override readonly kind = 'unavailable'

  constructor (device: string, facts: { readonly retryAfterMs: number, readonly cause?: unknown }) {
    super({
      message: `Device ${device} does not answer.`,
      retryable: true,
      nextAction: 'Wait and repeat the call; if it stays offline, release the lease and acquire another device.',
      details: { device },
      ...facts
    })
  }
}

/** A command came with a fencing token lower than one the phone has already obeyed. */
export class LeaseFencedRefusal extends Refusal {
  readonly code = 'lease_fenced'

  constructor (device: string) {
    super({
      message: `Another lease has taken over device ${device}; this one can no longer act on it.`,
      retryable: false,
      nextAction: 'Call acquireDevice for a new lease.',
      details: { device }
    })
  }
}

/** The phone, or the code that drives it, cannot do this. */
export class UnsupportedRefusal extends Refusal {
  readonly code = 'unsupported'

  constructor (facts: { readonly device: string, readonly operation: string, readonly missing: string, readonly nextAction: string }) {
    super({
      message: `Device ${facts.device} cannot ${facts.operation}: ${facts.missing}.`,
      retryable: false,
      nextAction: facts.nextAction,
      details: { device: facts.device, missing: facts.missing }
    })
  }
}

/** The text has nowhere to go. */
export class NoFocusedFieldRefusal extends Refusal {
  readonly code = 'no_focused_field'

  /** @param why what was tapped for the focus to go there or was not tapped for good reasons, or what keeps the phone from taking any text */
  constructor (why?: Unfocused | { readonly untouched: string } | { readonly obstacle: string }) {
    super({ retryable: false, ...(why === undefined ? nothingFocused : 'name' in why ? notFocused(why) : 'untouched' in why ? notTapped(why.untouched) : hindered(why.obstacle)) })
  }
}

interface Unfocused { readonly name: string, readonly isField: boolean, readonly isEnabled: boolean }

function notTapped (name: string) {
  return { message: `${name} is no field; it was not touched.`, nextAction: 'Observe and name an element of role field, or call tapOn if this brings one up.' }
}

function hindered (obstacle: string) {
  return { message: 'No text field has the focus.', nextAction: obstacle }
}

const nothingFocused = {
  message: 'No text field has the focus.',
  nextAction: 'Name the field in the call (`into` of inputText, `target` of clearText), or tap it first.'
}

function notFocused ({ name, isField, isEnabled }: Unfocused) {
  const tapped = `${name} was tapped and no text field took the focus`
  if (!isEnabled) {
    return { message: `${tapped}: it is disabled.`, nextAction: 'Observe and do first what enables it, or name another field.' }
  }
  if (!isField) {
    return { message: `${tapped}: it is no field.`, nextAction: 'Observe and name an element of role field.' }
  }
  return { message: `${tapped}.`, nextAction: 'Observe: something may cover the field, or the app may need longer.' }
}

/** No app of that id or name is on the phone. */
export class AppNotInstalledRefusal extends Refusal {
  readonly code = 'app_not_installed'
  override readonly kind = 'not_found'

  /** @param meant the app that was probably meant */
  constructor (app: string, installed: readonly string[], meant?: { readonly id: string, readonly name: string }) {
    super({
      message: `App ${word(app)} is not installed on this device${meant === undefined ? '' : `; ${word(meant.id)} is ${quote(meant.name, 60)}`}.`,
      retryable: false,
      nextAction: 'Use one of the installed apps; listApps shows them all.',
      details: { app: cut(app, 256), ...(meant === undefined ? {} : { meant: meant.id }), installed: installed.slice(0, 20) }
    })
  }
}

/** No installed app claims the link, or not the one that was named. */
export class LinkNotHandledRefusal extends Refusal {
  readonly code = 'link_not_handled'

  /** @param app the only app that was asked */
  constructor (url: string, app?: string) {
    super({
      message: app === undefined ? `No app on this device opens ${quote(url, 300)}.` : `App ${word(app)} does not open ${quote(url, 300)}.`,
      retryable: false,
      nextAction: app === undefined
        ? 'Check the scheme and host of the link, or launch the app and go to the screen by hand.'
        : 'Leave `app` out for whichever app opens the link, or launch the app and go to the screen by hand.',
      details: { url, ...(app === undefined ? {} : { app }) }
    })
  }
}

/** A finger cannot touch beside the screen. */
export class OutsideScreenRefusal extends Refusal {
  readonly code = 'outside_screen'

  constructor ({ x, y }: Point, { width, height }: { readonly width: number, readonly height: number }) {
    super({
      message: `The point ${x},${y} is outside the screen, which is ${width}x${height} pixels now.`,
      retryable: false,
      nextAction: `Use x from 0 to ${width - 1} and y from 0 to ${height - 1}, unit ratio, or an element; observe shows what there is.`,
      details: { size: [width, height] }
    })
  }
}

/** More commands wait for the phone than it will get to in useful time. */
export class DeviceBusyRefusal extends Refusal {
  readonly code = 'device_busy'
  override readonly kind = 'limit'

  constructor (device: string, waiting: number) {
    super({
      message: `Device ${device} has ${waiting} commands waiting already.`,
      retryable: true,
      retryAfterMs: 1_000,
      nextAction: 'Wait for the calls under way to return before sending more; a device does one thing at a time.',
      details: { device }
    })
  }
}
