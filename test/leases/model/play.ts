import assert from 'node:assert/strict'
import { DeviceOfflineRefusal } from '../../../src/devices/device-refusals.ts'
import { Refusal } from '../../../src/refusals/refusal.ts'
import type { Lease } from '../../../src/leases/contract/lease.ts'
import type { Act } from './acts.ts'
import { at, canBeMet, fits, holders, isHeld, noteBoot, noteDeadline, noteUnused, phoneOf, type Model, type ModelLease, type ModelPhone, type ModelRequest, type ModelRun } from './model.ts'
import { createRules } from './rules.ts'
import { maxPerHolder, settings, type World } from './world.ts'

const stranger = { principal: 'issuer\u0000mallory' }
const operator = 'issuer\u0000operator'
const tap = { count: 1, holdMs: 0 }

/** A history as it goes on: what happens to the real thing is told to the model, and the two are compared. */
export interface Play {
  happen (acts: readonly Act[]): Promise<void>
  /** Everybody behaves from now on: before long nobody waits and everything is free. */
  comeToRest (): Promise<void>
}

export function createPlay (world: World): Play {
  const model: Model = {
    step: 0,
    leases: new Map(),
    requests: [],
    runs: new Set(),
    phones: world.phones.map(({ id, driver }) => {
      return { id, description: driver.description, boot: 'boot-1', lastBoot: 'boot-1', isPlugged: true, isInPool: true, removal: undefined, sinceMs: 0, isBlocked: false, drain: undefined, holdSetAtStep: 0, isHoldOpen: false, disturbedAtStep: 0, awaySpans: [] }
    }),
    fences: new Map()
  }
  let boots = 1
  let clockSetByMs = 0
  /** Calls that nobody has had an answer to. */
  const underWay = new Set<string>()
  /** What was wrong where nobody could be told. */
  let wrong: unknown
  const rules = createRules(world, model)

  const nowMs = () => world.nowMs()
  const leases = () => world.process.leases

  function pick<T> (all: readonly T[], index: number): T | undefined {
    return all[index % all.length]
  }

  /** Leases, those that go on first: a history is about them most of the time. */
  function pickLease (index: number): ModelLease | undefined {
    const all = [...model.leases.values()].filter(({ isOrphan }) => !isOrphan)
    const going = all.filter(({ end }) => end === undefined)
    return pick(index % 4 === 0 || going.length === 0 ? all : going, index)
  }

  /** Begins something whose outcome is compared when it comes; one that never comes is noticed in the end. */
  function begin (name: string, work: Promise<unknown>): void {
    const process = world.process
    const key = `${name} (step ${model.step})`
    underWay.add(key)
    work.catch((fault: unknown) => { if (isSame(process)) wrong ??= fault }).finally(() => { underWay.delete(key) })
  }

  let ended = false
  /** How many processes are over. */
  let processes = 0
  function isSame (process: World['process']): boolean {
    return !ended && world.process === process
  }

  // ---- requests

  function granted (request: ModelRequest, given: readonly Lease[], terms: { readonly ttlMs: number, readonly heartbeatMs: number | undefined }) {
    assert.equal(request.state, 'open', 'a request is answered once')
    assert.ok(!request.caller.signal.aborted, `${request.name} was served though its caller had left`)
    request.state = 'granted'
    assert.equal(given.length, request.wanted.length, 'all or nothing')
    assert.equal(new Set(given.map(({ deviceId }) => deviceId)).size, given.length, 'a device for each selector')
    for (const [i, lease] of given.entries()) {
      const phone = phoneOf(model, lease.deviceId)
      assert.ok(fits(phone, request.wanted.slice(i, i + 1)), `${request.name} got a device it did not want`)
      assert.equal(lease.holder.principal, request.holder.principal)
      learn(lease, { ttlMs: terms.ttlMs, heartbeatMs: terms.heartbeatMs, isOrphan: false })
    }
  }

  /** A lease that was not known before. */
  function learn ({ handle, deviceId, bootId, fence, holder }: Lease, { ttlMs, heartbeatMs, isOrphan }: { readonly ttlMs: number, readonly heartbeatMs: number | undefined, readonly isOrphan: boolean }) {
    const phone = phoneOf(model, deviceId)
    assert.ok(phone.removal === undefined || phone.disturbedAtStep === model.step || isOrphan, `${deviceId} was granted though it has been removed`)
    const last = model.fences.get(deviceId) ?? 0
    assert.ok(fence > last, `the fence of ${deviceId} did not rise: ${fence} after ${last}`)
    assert.ok(!model.leases.has(handle), 'a handle is used once')
    assert.ok(isOrphan || !isHeld(phone) || phone.holdSetAtStep === model.step, `${deviceId} was granted while an operator held it`)
    assert.ok(bootId === phone.lastBoot || phone.disturbedAtStep === model.step || isOrphan, 'the lease is for another boot')
    // What the lease before has changed must have been undone.
    for (const other of model.leases.values()) if (other.deviceId === deviceId && other.end === undefined) noteUnused(other, model, nowMs())
    const isClean = ({ isUsed, causes }: ModelLease): boolean => !isUsed && (causes.has('undelivered') || causes.has('unused'))
    const before = [...model.leases.values()].filter((lease) => lease.deviceId === deviceId && !isClean(lease)).at(-1)
    const cleaned = world.phones.find(({ id }) => id === deviceId)?.cleanedWith ?? []
    assert.ok(before === undefined || before.isLeftDirty || isOrphan || cleaned.some((token) => token > before.fence && token <= fence), `${deviceId} was granted before it was clean`)
    model.fences.set(deviceId, fence)
    const endMs = nowMs() + settings.maxLengthMs
    const lease: ModelLease = {
      handle,
      deviceId,
      bootId,
      fence,
      holder,
      heartbeatMs,
      grantedAtMs: nowMs(),
      ttlMs,
      expires: isOrphan ? { fromMs: 0, untilMs: endMs } : at(Math.min(nowMs() + ttlMs, endMs)),
      idles: isOrphan ? { fromMs: 0, untilMs: endMs } : at(nowMs() + settings.idleMs),
      longest: isOrphan ? { fromMs: 0, untilMs: endMs } : at(endMs),
      heardAtMs: nowMs(),
      isUsed: false,
      isClaimed: false,
      isConfirmed: false,
      isLeftDirty: false,
      isOrphan,
      restartedAtMs: isOrphan ? nowMs() : undefined,
      runs: new Set(),
      causes: new Set(),
      endAskedAtStep: undefined,
      end: undefined
    }
    model.leases.set(handle, lease)
    noteBoot(model, phone)
  }

  function refused (request: ModelRequest, fault: unknown, before: readonly ModelPhone[]) {
    assert.equal(request.state, 'open', 'a request is answered once')
    request.state = 'refused'
    const code = codeOf(fault)
    switch (code) {
      case 'cancelled':
        assert.ok(request.caller.signal.aborted, `${request.name} was cancelled by nobody`)
        break
      case 'wait_timed_out':
        assert.ok(request.waitMs > 0 && nowMs() >= request.joinedAtMs + request.waitMs, `${request.name} was sent away before its time`)
        break
      case 'capacity_exhausted':
      case 'devices_on_hold':
      case 'device_cleanup_in_progress': {
        assert.equal(request.waitMs, 0, `${request.name} was willing to wait`)
        const rivals = model.requests.filter((other) => other !== request && (other.state === 'open' || other.step === request.step))
        const isContested = rivals.some(({ wanted }) => before.some((phone) => fits(phone, wanted)))
        const isDisturbed = before.some(({ disturbedAtStep, holdSetAtStep }) => disturbedAtStep === model.step || holdSetAtStep === model.step)
        assert.ok(isContested || isDisturbed || !canBeMet(request.wanted, before), `${request.name} was refused what was free`)
        break
      }
      case 'no_such_device':
      case 'too_many_devices': {
        const isDisturbed = model.phones.some(({ disturbedAtStep }) => disturbedAtStep === model.step)
        assert.ok(isDisturbed || !canBeMet(request.wanted, model.phones.filter(({ isInPool }) => isInPool)), `${request.name} was refused what the pool has`)
        break
      }
      case 'lease_limit_reached': {
        assert.ok(request.waitMs === 0 || request.wanted.length > maxPerHolder, `${request.name} was willing to wait`)
        break
      }
      default:
        throw fault
    }
  }

  function codeOf (fault: unknown): string {
    if (!(fault instanceof Refusal)) throw fault
    return fault.code
  }

  async function acquire (act: Extract<Act, { do: 'acquire' }>, free: readonly ModelPhone[]) {
    const { wanted, waitMs, priority, ttlMs = settings.ttlMs, heartbeatMs, leavesAfter } = act
    const holder = pick(holders, act.who)
    assert.ok(holder)
    const request: ModelRequest = {
      name: `request ${model.requests.length + 1}`,
      holder,
      wanted,
      priority,
      waitMs,
      joinedAtMs: nowMs(),
      step: model.step,
      caller: new AbortController(),
      state: 'open',
      isCompared: false
    }
    model.requests.push(request)
    const terms = {
      holder,
      purpose: request.name,
      waitMs,
      priority,
      signal: request.caller.signal,
      ...(act.ttlMs === undefined ? {} : { ttlMs }),
      ...(heartbeatMs === undefined ? {} : { heartbeatMs })
    }
    const [first] = wanted
    const process = world.process
    const answer = wanted.length === 1 && first !== undefined
      ? leases().acquire({ ...terms, selector: first }).then((lease) => [lease])
      : leases().acquireAll({ ...terms, wanted: Object.fromEntries(wanted.map((selector, i) => [`phone ${i}`, selector])) })
        .then((byLabel) => wanted.map((_, i) => byLabel[`phone ${i}`]).filter((lease) => lease !== undefined))
    begin(request.name, answer.then(
      (given) => { if (isSame(process)) granted(request, given, { ttlMs, heartbeatMs }) },
      (fault: unknown) => { if (isSame(process)) refused(request, fault, free) }
    ))
    if (leavesAfter !== undefined) {
      for (let step = 0; step < leavesAfter; step++) await undefined
      request.caller.abort()
    }
  }

  // ---- leases

  /** What came of naming a lease: a stranger learns nothing, and an ended lease is refused as before. */
  async function named (lease: ModelLease, isStranger: boolean, work: () => Promise<unknown>, others: readonly string[] = []) {
    const endedBefore = lease.end
    try {
      await work()
    } catch (fault) {
      const code = codeOf(fault)
      if (isStranger) {
        assert.equal(code, 'lease_unknown')
        return
      }
      if (code === 'lease_ended') {
        const reason = fault instanceof Refusal ? fault.details?.reason : undefined
        if (endedBefore === undefined) await rules.learnEnd(lease)
        assert.equal(reason, lease.end, 'the refusal says how the lease ended')
      } else if (!others.includes(code)) {
        throw fault
      }
      return
    }
    assert.ok(!isStranger, 'a stranger was let in')
    assert.equal(endedBefore, undefined, 'an ended lease was let in')
  }

  async function renew ({ isStranger, ttlMs }: Extract<Act, { do: 'renew' }>, lease: ModelLease) {
    await named(lease, isStranger, async () => {
      await leases().renew({ handle: lease.handle, holder: isStranger ? stranger : lease.holder, ...(ttlMs === undefined ? {} : { ttlMs }) })
      lease.ttlMs = ttlMs ?? lease.ttlMs
      lease.isConfirmed = true
      move(lease)
    })
  }

  /** A sign of life that moves the expiry. */
  function move (lease: ModelLease, kind?: 'control' | 'look') {
    const untilMs = nowMs() + lease.ttlMs
    lease.expires = { fromMs: Math.min(untilMs, lease.longest.fromMs), untilMs: Math.min(untilMs, lease.longest.untilMs) }
    lease.heardAtMs = nowMs()
    if (kind === 'control') lease.idles = at(nowMs() + settings.idleMs)
    if (kind !== undefined) lease.isUsed = true
  }

  async function release ({ isStranger, cleanup }: Extract<Act, { do: 'release' }>, lease: ModelLease) {
    const endedBefore = lease.end
    if (!isStranger) askEnd(lease, 'released')
    if (!isStranger && cleanup === 'none') lease.isLeftDirty = true
    try {
      const { releasedNow } = await leases().release({ handle: lease.handle, holder: isStranger ? stranger : lease.holder, ...(cleanup === undefined ? {} : { cleanup }) })
      assert.ok(!isStranger, 'a stranger was let in')
      if (endedBefore !== undefined) assert.deepEqual({ releasedNow, reason: endedBefore }, { releasedNow: false, reason: 'released' })
    } catch (fault) {
      await named(lease, isStranger, () => Promise.reject(fault))
    }
  }

  function askEnd (lease: ModelLease, reason: 'released' | 'revoked' | 'drained') {
    lease.causes.add(reason)
    lease.endAskedAtStep ??= model.step
  }

  async function use ({ isStranger, kind, isLong, byAcquirer, limitMs }: Extract<Act, { do: 'use' }>, lease: ModelLease) {
    let run: ModelRun | undefined
    const process = processes
    await named(lease, isStranger, async () => {
      await leases().use({
        handle: lease.handle, holder: isStranger ? stranger : lease.holder, signal: new AbortController().signal, kind, byAcquirer, ...(limitMs === undefined ? {} : { limitMs })
      }, async ({ lease: { fence }, driver, signal }) => {
        // What a killed process would have done next, it does not do.
        if (process !== processes) return await new Promise<never>(() => {})
        assert.equal(lease.end, undefined, 'an ended lease was let in')
        assert.equal(fence, lease.fence)
        move(lease, kind)
        lease.isConfirmed ||= !byAcquirer
        let finish = () => {}
        const finished = new Promise<void>((resolve) => { finish = resolve })
        const begun: ModelRun = { lease, vetoUntilMs: nowMs() + Math.min(limitMs ?? Infinity, settings.longestVetoMs), finish, abortedAtMs: undefined }
        run = begun
        model.runs.add(begun)
        lease.runs.add(begun)
        signal.addEventListener('abort', () => {
          // Work on a device that is lost comes to its end, and its lease goes on.
          if (!(signal.reason instanceof DeviceOfflineRefusal)) begun.abortedAtMs = nowMs()
          finish()
        })
        if (isLong) await finished
        await driver.tap({ x: 1, y: 1 }, tap, { fence, signal })
      }).finally(() => {
        if (run === undefined) return
        model.runs.delete(run)
        if (run.abortedAtMs !== undefined) return
        lease.runs.delete(run)
        if (lease.end === undefined) move(lease, kind)
      })
    }, ['device_offline', 'cancelled', 'lease_fenced'])
  }

  // ---- phones

  function going (phone: ModelPhone): readonly ModelLease[] {
    return [...model.leases.values()].filter(({ deviceId, end }) => deviceId === phone.id && end === undefined)
  }

  function plug (phone: ModelPhone, boot: string) {
    // What operators have ordered of it meanwhile, it may have heard or not.
    Object.assign(phone, { isPlugged: true, isInPool: true, removal: undefined, isHoldOpen: true, holdSetAtStep: model.step })
    setBoot(phone, boot)
    begin('plug', world.plug(phone.id))
  }

  /** What an operator orders about a device may come when it has left the pool. */
  async function ordered (which: number | 'all', order: Promise<unknown>) {
    await order.catch((fault: unknown) => {
      assert.equal(codeOf(fault), 'device_unknown')
      assert.ok(phonesOf(which).every(({ isInPool, disturbedAtStep }) => !isInPool || disturbedAtStep === model.step), 'the pool does not know a device that it has')
    })
  }

  function setBoot (phone: ModelPhone, boot: string | undefined) {
    const real = world.phones.find(({ id }) => id === phone.id)
    assert.ok(real)
    real.driver.boot = boot
    if (phone.boot === undefined && boot !== undefined) phone.awaySpans.push({ fromMs: phone.sinceMs, untilMs: nowMs() })
    if ((phone.boot === undefined) !== (boot === undefined) || (boot !== undefined && boot !== phone.lastBoot)) phone.sinceMs = nowMs()
    phone.boot = boot
    phone.lastBoot = boot ?? phone.lastBoot
    phone.disturbedAtStep = model.step
    noteBoot(model, phone)
  }

  function setHold (phone: ModelPhone, hold: Partial<Pick<ModelPhone, 'isBlocked' | 'drain'>>) {
    if (!phone.isInPool) return
    for (const lease of model.leases.values()) if (lease.deviceId === phone.id) noteDeadline(lease, phone, nowMs())
    phone.isHoldOpen ||= phone.holdSetAtStep === model.step
    Object.assign(phone, hold)
    phone.holdSetAtStep = model.step
  }

  function phonesOf (which: number | 'all'): readonly ModelPhone[] {
    return which === 'all' ? model.phones : model.phones.filter((_, i) => i === which)
  }

  function selectorOf (which: number | 'all'): { readonly device?: string } {
    const [phone] = phonesOf(which)
    return which === 'all' || phone === undefined ? {} : { device: phone.id }
  }

  // ---- one act

  async function perform (act: Act, free: readonly ModelPhone[]): Promise<void> {
    switch (act.do) {
      case 'acquire':
        await acquire(act, free)
        break
      case 'leave': {
        const open = model.requests.filter(({ state }) => state === 'open')
        pick(open, act.request)?.caller.abort()
        break
      }
      case 'renew':
      case 'release':
      case 'use':
      case 'undo':
      case 'heartbeat':
      case 'revoke': {
        const lease = pickLease(act.lease)
        if (lease === undefined) break
        begin(`${act.do} ${lease.handle}`, touch(act, lease))
        break
      }
      case 'finish':
        pick([...model.runs], act.run)?.finish()
        break
      case 'unplug': {
        const phone = pick(model.phones, act.phone)
        assert.ok(phone)
        if (!phone.isPlugged) break
        phone.isPlugged = false
        setBoot(phone, undefined)
        begin('unplug', world.unplug(phone.id, { kind: 'lost', reason: 'The cable is out.' }))
        break
      }
      case 'plug':
      case 'add': {
        const phone = pick(model.phones, act.phone)
        assert.ok(phone)
        if (phone.isPlugged || (act.do === 'plug') !== (phone.removal === undefined)) break
        plug(phone, act.isSameBoot ? phone.lastBoot : `boot-${++boots}`)
        break
      }
      case 'remove': {
        const phone = pick(model.phones, act.phone)
        assert.ok(phone)
        if (!phone.isPlugged) break
        Object.assign(phone, { isPlugged: false, isInPool: false, removal: act.lease, disturbedAtStep: model.step })
        if (act.lease === 'ends') for (const lease of going(phone)) askEnd(lease, 'drained')
        begin('remove', world.unplug(phone.id, { kind: 'removed', reason: 'old', by: operator, lease: act.lease }))
        break
      }
      case 'vanish':
      case 'appear':
      case 'reboot': {
        const phone = pick(model.phones, act.phone)
        assert.ok(phone)
        if (!phone.isPlugged) break
        const isBack = act.do === 'appear' && phone.boot === undefined
        if (act.do === 'vanish') setBoot(phone, undefined)
        else if (act.do === 'reboot') setBoot(phone, `boot-${++boots}`)
        else if (isBack) setBoot(phone, act.isSameBoot ? phone.lastBoot : `boot-${++boots}`)
        break
      }
      case 'resist': {
        const phone = pick(world.phones, act.phone)
        if (phone) phone.driver.failingCleanups = act.times
        break
      }
      case 'linger': {
        const phone = pick(world.phones, act.phone)
        if (phone) phone.hurry = phone.driver.hold('restoreHome').finish
        break
      }
      case 'block': {
        const phone = pick(model.phones, act.phone)
        assert.ok(phone)
        setHold(phone, { isBlocked: true })
        begin('block', ordered(act.phone, leases().operations.block({ device: phone.id, reason: 'broken', by: operator })))
        break
      }
      case 'unblock': {
        const phone = pick(model.phones, act.phone)
        assert.ok(phone)
        setHold(phone, { isBlocked: false })
        begin('unblock', ordered(act.phone, leases().operations.unblock({ device: phone.id, by: operator })))
        break
      }
      case 'drain': {
        const drain = act.deadlineMs === undefined ? {} : { deadlineAtMs: nowMs() + act.deadlineMs }
        for (const phone of phonesOf(act.phone)) {
          setHold(phone, { drain })
          // One that is leaving hears of it as well, as long as it has a lease.
          if (phone.removal !== undefined && act.deadlineMs !== undefined) for (const lease of going(phone)) lease.causes.add('drained')
        }
        begin('drain', ordered(act.phone, leases().operations.drain({ ...selectorOf(act.phone), reason: 'inventory', by: operator, ...(act.deadlineMs === undefined ? {} : { deadlineMs: act.deadlineMs }) })))
        break
      }
      case 'undrain':
        for (const phone of phonesOf(act.phone)) setHold(phone, { drain: undefined })
        begin('undrain', ordered(act.phone, leases().operations.undrain({ ...selectorOf(act.phone), by: operator })))
        break
      case 'set clock':
        clockSetByMs += act.ms
        world.setWallClock(act.ms)
        break
      case 'pass':
        await world.drain()
        await world.pass(act.ms, look)
        break
      case 'crash':
        for (let step = 0; step < act.after; step++) await undefined
        await restart(act)
        break
    }
  }

  async function touch (act: Extract<Act, { do: 'renew' | 'release' | 'use' | 'undo' | 'heartbeat' | 'revoke' }>, lease: ModelLease) {
    const { handle, holder } = lease
    const isByAnother = act.do === 'heartbeat' || (act.do === 'use' ? !act.byAcquirer && !act.isStranger : (act.do === 'renew' || act.do === 'release') && !act.isStranger)
    lease.isClaimed ||= isByAnother
    switch (act.do) {
      case 'renew': return await renew(act, lease)
      case 'release': return await release(act, lease)
      case 'use': return await use(act, lease)
      case 'undo':
        lease.causes.add('undelivered')
        await leases().undo({ handle, holder })
        if (!lease.isClaimed) lease.endAskedAtStep ??= model.step
        break
      case 'heartbeat': {
        const endedBefore = lease.end
        const answer = await leases().heartbeat({ handle, holder })
        if (answer === 'ok') {
          assert.equal(endedBefore, undefined, 'an ended lease was let in')
          lease.heardAtMs = nowMs()
          lease.isConfirmed = true
        } else {
          assert.ok(answer !== 'unknown', 'the lease is its holder\'s')
          await rules.learnEnd(lease)
          assert.equal(answer.ended, lease.end)
        }
        break
      }
      case 'revoke':
        askEnd(lease, 'revoked')
        await named(lease, false, async () => { await leases().operations.revoke({ handle, reason: 'needed', by: operator }) })
        break
    }
  }

  async function restart ({ isInOrder, downMs }: Extract<Act, { do: 'crash' }>) {
    if (wrong !== undefined) throw wrong
    if (!isInOrder) ended = true
    const openBefore = new Set(model.requests.filter(({ state }) => state === 'open'))
    if (isInOrder) for (const request of openBefore) request.state = 'refused'
    ended = true
    await world.end({ isInOrder })
    processes++
    for (const request of openBefore) request.state = 'refused'
    for (const run of model.runs) run.lease.runs.delete(run)
    model.runs.clear()
    underWay.clear()
    world.setWallClock(-clockSetByMs)
    clockSetByMs = 0
    const diedAtMs = nowMs()
    // No process, no timers: nothing happens meanwhile.
    await world.pass(downMs, async () => {})
    await world.begin()
    ended = false
    for (const lease of model.leases.values()) {
      if (lease.end !== undefined) continue
      const row = await world.process.store.lease(lease.handle)
      assert.ok(row, `${lease.handle} was acknowledged and is forgotten`)
      lease.ttlMs = row.ttlMs
      if (!phoneOf(model, lease.deviceId).isPlugged) lease.causes.add('device_lost')
      if (lease.endAskedAtStep === model.step) lease.endAskedAtStep = undefined
      lease.restartedAtMs = nowMs()
      lease.heardAtMs = nowMs()
      // When it was last known to be alive may be some seconds before its death, and never is before it.
      const forgive = ({ fromMs, untilMs }: { readonly fromMs: number, readonly untilMs: number }) => ({
        fromMs: Math.max(fromMs, nowMs() + settings.awaitOwnerMs),
        untilMs: Math.max(untilMs + nowMs() - diedAtMs + 120_000, nowMs() + settings.awaitOwnerMs)
      })
      // Somebody may have asked for a shorter time just then.
      lease.expires = forgive({ ...lease.expires, fromMs: Math.min(lease.expires.fromMs, diedAtMs + row.ttlMs) })
      lease.idles = forgive(lease.idles)
      lease.longest = forgive(lease.longest)
    }
    for (const phone of model.phones) {
      phone.isHoldOpen ||= phone.holdSetAtStep === model.step
      phone.isInPool = phone.isPlugged
    }
    for (const lease of await world.process.store.liveLeases()) {
      if (!model.leases.has(lease.handle)) learn(lease, { ttlMs: lease.ttlMs, heartbeatMs: lease.heartbeatMs, isOrphan: true })
    }
  }

  async function look () {
    if (wrong !== undefined) throw wrong
    await rules.look()
  }

  async function check () {
    if (wrong !== undefined) throw wrong
    await rules.check()
  }

  return {
    async happen (acts) {
      model.step++
      const free = rules.free.filter(({ boot }) => boot !== undefined)
      await Promise.all(acts.map((act) => perform(act, free)))
      await world.drain()
      await check()
    },

    async comeToRest () {
      model.step++
      for (const phone of model.phones) {
        if (!phone.isPlugged) plug(phone, phone.lastBoot)
        else if (phone.boot === undefined) setBoot(phone, phone.lastBoot)
      }
      await world.drain()
      for (const { driver, hurry } of world.phones) {
        driver.failingCleanups = 0
        hurry()
      }
      for (const { finish } of model.runs) finish()
      for (const phone of model.phones) setHold(phone, { isBlocked: false, drain: undefined })
      for (const { id } of model.phones) await leases().operations.unblock({ device: id, by: operator })
      await leases().operations.undrain({ by: operator })
      await world.drain()
      await check()
      const isAtRest = async () => {
        const devices = await leases().devices()
        return underWay.size === 0 && devices.length === model.phones.length && devices.every(({ state }) => state === 'free')
      }
      for (let waitedMs = 0; waitedMs < 600_000 && !await isAtRest(); waitedMs += 10_000) await world.pass(10_000, look)
      assert.deepEqual([...underWay], [], 'everybody gets an answer')
      assert.deepEqual((await leases().list()).map(({ handle }) => handle), [], 'no device is leased for ever')
      assert.deepEqual((await leases().devices()).map(({ state }) => state), model.phones.map(() => 'free'), 'every device is free in the end')
      model.step++
      await check()
    }
  }
}
