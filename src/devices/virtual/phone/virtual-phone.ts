/**
 * The virtual phone: screens, apps and input of one phone, in this process. It knows nothing of
 * drivers, leases or waiting; each command takes effect at once. Time passes for it when
 * a caller looks or acts: whatever has fallen due meanwhile happens first, in order, each at
 * its own instant. So the same commands at the same instants always give the same screens.
 */
import type { Clock } from '../../../runtime/clock.ts'
import type { Ids } from '../../../runtime/ids.ts'
import type { AppInfo, Key, LaunchOptions, Observation, Point } from '../../device-types.ts'
import { LinkNotHandledRefusal } from '../../device-refusals.ts'
import type { AppDefinition } from '../apps/app-definition.ts'
import type { Exchange, Message } from '../exchange.ts'
import { composeScreen } from '../screen/compose-screen.ts'
import type { Screen } from '../screen/composed-screen.ts'
import { isSpent, mostWork, withBudget } from '../apps/work-budget.ts'
import { uiTree } from '../screen/ui-tree.ts'
import { clearAppData, crashApp, installedApp, openApp, openLinkIn, stopApp } from './app-life.ts'
import { swipeFrom, tapAt } from './gestures.ts'
import { pressKey } from './keys.ts'
import { frontApp, writeLog, type PhoneCore } from './phone-core.ts'
import type { PhoneProfile } from './phone-profile.ts'
import { differencesFromFresh, freshState, type PendingActions } from './phone-state.ts'
import { deliverMessage, nextMessage, takeMessage } from './messages.ts'
import { noteFrame } from './recorder.ts'
import { eventBudget, runActions } from './run-actions.ts'
import { appInfo, createStateCommands, type StateCommands } from './state-commands.ts'
import { clearField, dropLostFocus, insertText } from './text-input.ts'
import { createVisits } from './visits.ts'

/** One look, before a driver adds when it was taken and what is to be known of it. */
export type Look = Omit<Observation, 'capturedAtMs' | 'warnings' | 'visit'>

export interface VirtualPhone extends StateCommands {
  readonly profile: PhoneProfile
  /** Another one after each restart. */
  bootId (): string
  /** Goes up with every change of the screen. */
  revision (): number
  screen (): Screen
  look (): Look
  /** Names this entering of the screen; a phone that was made as new goes on counting. */
  visit (): string
  tap (target: Point, options: { readonly count: number, readonly holdMs: number }): void
  swipe (from: Point, to: Point, options: { readonly durationMs: number }): void
  typeText (text: string): void
  clearText (): void
  pressKey (key: Key, options: { readonly count: number, readonly long: boolean }): void
  listApps (): readonly AppInfo[]
  launchApp (id: string, options: LaunchOptions): void
  terminateApp (id: string): void
  openLink (url: string, options: { readonly appId?: string }): void
  /** Ends the app in front as a fault in it would. */
  crashFrontApp (): void
  /** Ends all processes and starts at the home screen; apps, data, settings and files stay. */
  restart (): void
  /** Makes the phone like a fresh one, and says what that took. */
  restoreHome (): readonly string[]
  /** Takes another number; what was sent to the last one and not received yet is lost. */
  changeNumber (): void
  /** Gives its number up for good. */
  leaveExchange (): void
  /** What apps and phone have logged, oldest first; only so many lines are kept. */
  log (): ReadonlyArray<{ readonly atMs: number, readonly app: string, readonly line: string }>
}

// Timers that fire between two looks. A screen that reloads itself for ever must not make the
// next look, hours later, live through all of it.
const mostTimersAtOnce = 500
// Screens whose actions open others; the stack has room for some more.
const deepestRun = 400
/** For several touches or keys of one command together; each alone has its own bound. */
const repeatedWork = 3 * mostWork

export function createVirtualPhone ({ profile, apps, clock, ids, exchange }: {
  readonly profile: PhoneProfile
  readonly apps: readonly AppDefinition[]
  readonly clock: Clock
  readonly ids: Pick<Ids, 'bytes'>
  /** Where it reaches other phones. */
  readonly exchange: Exchange
}): VirtualPhone {
  let bootId = newBootId(ids)
  let line = exchange.connect(receive)
  let revision = 1
  let composed: { readonly revision: number, readonly screen: Screen } | undefined
  let looked: { readonly revision: number, readonly look: Look } | undefined
  let livedThroughMs: number | undefined
  let budget = eventBudget()
  let depth = 0
  // Outlives a restart: a screen entered after it is no screen from before.
  const visitOf = createVisits()

  const core: PhoneCore = {
    profile,
    clock,
    state: freshState(apps, profile, line.number),
    line: () => line,
    screen () {
      if (composed?.revision !== revision) composed = { revision, screen: withBudget(() => composeScreen(core.state, profile)) }
      return composed.screen
    },
    changed () {
      revision += 1
    },
    nowMs: () => livedThroughMs ?? clock.monotonicMs(),
    run (actions, scope, app, process) {
      if (depth >= deepestRun) {
        if (budget.actions > 0) writeLog(core, app.app.id, `stopped: actions set off others ${deepestRun} times over`)
        budget.actions = 0
        return
      }
      depth += 1
      try {
        runActions(actions, scope, { core, app, process, budget })
      } finally {
        depth -= 1
      }
    }
  }

  return {
    ...createStateCommands({ core, command, look, home: apps }),
    profile,
    bootId: () => bootId,
    revision () {
      catchUp()
      return revision
    },
    screen () {
      catchUp()
      return core.screen()
    },
    look () {
      catchUp()
      if (looked?.revision !== revision) looked = { revision, look: lookAt(core) }
      return looked.look
    },
    visit () {
      catchUp()
      return visitOf(core)
    },
    tap (target, { count, holdMs }) {
      repeatedly(count, () => tapAt(core, target, holdMs))
    },
    swipe: (from, to, { durationMs }) => command(() => swipeFrom(core, from, to, durationMs)),
    typeText: (text) => command(() => insertText(core, text)),
    clearText: () => command(() => clearField(core)),
    pressKey (key, { count, long }) {
      repeatedly(count, () => pressKey(core, key, long))
    },
    listApps: () => look(() => [...core.state.apps.values()].map(appInfo)),
    launchApp (id, { clearData, restart }) {
      command(() => {
        const app = installedApp(core, id)
        if (clearData) clearAppData(core, app)
        else if (restart) stopApp(core, app)
        openApp(core, app)
      })
    },
    terminateApp: (id) => command(() => stopApp(core, installedApp(core, id))),
    openLink: (url, { appId }) => command(() => openLink(core, url, appId)),
    crashFrontApp () {
      command(() => {
        const front = frontApp(core)
        if (front !== undefined) crashApp(core, front.app)
      })
    },
    restart () {
      bootId = newBootId(ids)
      const { apps: kept, device, files, inbox } = core.state
      for (const app of kept.values()) app.process = undefined
      core.state = { ...freshState(apps, profile, line.number), apps: kept, device, files, inbox }
      core.changed()
    },
    restoreHome () {
      catchUp()
      const differences = differencesFromFresh(core.state, apps, profile)
      changeNumber()
      core.state = freshState(apps, profile, line.number)
      core.changed()
      return differences
    },
    changeNumber,
    leaveExchange: () => line.end(),
    log () {
      catchUp()
      return [...core.state.log]
    }
  }

  function receive (message: Message): boolean {
    return takeMessage(core, message)
  }

  function changeNumber (): void {
    line.end()
    line = exchange.connect(receive)
    core.state.inbox.length = 0
    core.state.device.phoneNumber = line.number
    core.changed()
  }

  /** Does something several times, as long as all of it together takes no more work than one may. */
  function repeatedly (count: number, work: () => void): void {
    withBudget(() => {
      for (let time = 0; time < count && !isSpent(); time += 1) command(work)
    }, repeatedWork)
  }

  function look<Result> (work: () => Result): Result {
    catchUp()
    return work()
  }

  function command<Result> (work: () => Result): Result {
    catchUp()
    budget = eventBudget()
    try {
      return withBudget(work)
    } finally {
      dropLostFocus(core)
      noteFrame(core)
    }
  }

  function catchUp (): void {
    const nowMs = clock.monotonicMs()
    withBudget(() => fireDue(nowMs))
    withBudget(receiveAll)
    if (core.state.toast !== undefined && core.state.toast.untilMs <= nowMs) {
      lifeAt(core.state.toast.untilMs, () => {
        core.state.toast = undefined
        core.changed()
      })
    }
  }

  /** What took too much work is left for the next look, where it is as much too late. */
  function fireDue (nowMs: number): void {
    for (let fired = 0; fired < mostTimersAtOnce && !isSpent(); fired += 1) {
      const next = core.state.pending.reduce<PendingActions | undefined>(earlier, undefined)
      if (next === undefined || next.dueMs > nowMs) break
      core.state.pending = core.state.pending.filter((later) => later !== next)
      fire(next)
    }
  }

  function receiveAll (): void {
    for (let received = 0; received < mostTimersAtOnce && !isSpent(); received += 1) {
      const message = nextMessage(core)
      if (message === undefined) return
      lifeAt(message.atMs, () => {
        budget = eventBudget()
        deliverMessage(core, message)
        dropLostFocus(core)
      })
    }
  }

  function fire ({ dueMs, actions, scope, app, process }: PendingActions): void {
    lifeAt(dueMs, () => {
      budget = eventBudget()
      core.run(actions, scope, app, process)
      dropLostFocus(core)
    })
  }

  /** Lets something happen at its own instant. */
  function lifeAt (atMs: number, work: () => void): void {
    livedThroughMs = atMs
    try {
      work()
      noteFrame(core)
    } finally {
      livedThroughMs = undefined
    }
  }
}

function earlier (first: PendingActions | undefined, later: PendingActions): PendingActions {
  return first === undefined || later.dueMs < first.dueMs ? later : first
}

function newBootId (ids: Pick<Ids, 'bytes'>): string {
  return ids.bytes(16).toString('hex')
}

function openLink (core: PhoneCore, url: string, appId: string | undefined): void {
  const candidates = appId === undefined ? [...core.state.apps.values()] : [installedApp(core, appId)]
  for (const app of candidates) {
    for (const link of app.app.links) {
      const captures = link.pattern.match(url)
      if (captures !== undefined) return openLinkIn(core, app, link, captures)
    }
  }
  throw new LinkNotHandledRefusal(url, appId)
}

function lookAt (core: PhoneCore): Look {
  const screen = core.screen()
  return {
    app: screen.app,
    ...(screen.activity === undefined ? {} : { activity: screen.activity }),
    size: screen.size,
    orientation: screen.orientation,
    keyboardShown: screen.keyboardShown,
    locked: core.state.locked,
    ...(core.state.awake ? {} : { displayOff: true }),
    root: uiTree(screen)
  }
}
