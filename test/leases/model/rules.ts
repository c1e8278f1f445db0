import assert from 'node:assert/strict'
import { canBeMet, canHaveEnded, fits, holders, isHeld, isVetoed, noteAway, noteDeadline, noteUnused, noticeMs, phoneOf, whyOver, type Model, type ModelLease, type ModelPhone, type ModelRequest } from './model.ts'
import { maxPerHolder, settings, type World } from './world.ts'

/** What must be true whenever everything has come to a stop. */
export interface Rules {
  /** Hears of the end of a lease, which must have had a cause. */
  learnEnd (lease: ModelLease): Promise<void>
  /** Ends have causes, whose time is over has ended, and nobody was overtaken. */
  look (): Promise<void>
  /** All that, and what the pool shows, keeps in the queue and writes down. */
  check (): Promise<void>
  /** The phones that were shown as free at the last check. */
  readonly free: readonly ModelPhone[]
}

export function createRules (world: World, model: Model): Rules {
  let lookedAtCall = -1
  let freeAtLast: readonly ModelPhone[] = []
  let lastAuditId = 0
  const audited = new Map<string, { grants: number, ends: string[] }>()
  /** How many leases each holder had at the last look. */
  let heldAtLast = new Map<string, number>()

  const nowMs = () => world.nowMs()
  const leases = () => world.process.leases

  /** Whatever the model has not heard of the end of a lease, it hears now. */
  async function learnEnd (lease: ModelLease) {
    if (lease.end !== undefined) return
    const row = await world.process.store.lease(lease.handle)
    assert.ok(row, `${lease.handle} is forgotten`)
    noteAway(lease, phoneOf(model, lease.deviceId), nowMs())
    noteDeadline(lease, phoneOf(model, lease.deviceId), nowMs())
    noteUnused(lease, model, nowMs())
    if (phoneOf(model, lease.deviceId).removal === 'ends') lease.causes.add('drained')
    if (row.end !== undefined) {
      lease.end = row.end.reason
      assert.ok(canHaveEnded(lease, row.end.reason, nowMs()), `${lease.handle} on ${lease.deviceId} ended as ${row.end.reason} for no reason: ${about(lease)}`)
      const { fence } = (await world.process.store.occupancies()).find(({ device }) => device.id === lease.deviceId)?.device ?? { fence: 0 }
      assert.ok(fence > lease.fence, 'the end of a lease takes a token')
    }
  }

  function about (lease: ModelLease): string {
    const { expires, idles, longest, restartedAtMs, heardAtMs, causes } = lease
    return JSON.stringify({ nowMs: nowMs(), expires, idles, longest, restartedAtMs, heardAtMs, isVetoed: isVetoed(lease, nowMs()), causes: [...causes] })
  }

  /** After everything that happened: ends have reasons, those who must be over are, and nobody was overtaken. */
  async function look () {
    const isNew = world.storeCalls !== lookedAtCall
    lookedAtCall = world.storeCalls
    const held = new Map<string, string>()
    for (const lease of model.leases.values()) {
      if (isNew) await learnEnd(lease)
      if (lease.end !== undefined) continue
      assert.equal(held.get(lease.deviceId), undefined, `${lease.deviceId} has two holders`)
      held.set(lease.deviceId, lease.handle)
      assert.equal(whyOver(lease, nowMs()), undefined, `${lease.handle} goes on: ${about(lease)}`)
      checkDevice(lease)
    }
    checkOrder()
    heldAtLast = new Map(holders.map(({ principal }) => [principal, heldBy(principal)]))
  }

  function heldBy (principal: string): number {
    return [...model.leases.values()].filter(({ holder, end }) => end === undefined && holder.principal === principal).length
  }

  /** Whether it would have taken its holder over the limit, now or since the last look. */
  function isLimited ({ holder: { principal }, wanted }: ModelRequest): boolean {
    return Math.max(heldBy(principal), heldAtLast.get(principal) ?? 0) + wanted.length > maxPerHolder
  }

  /** Whether what its holder may have besides may be kept for another request of that holder. */
  function isHeldBack (request: ModelRequest, others: readonly ModelRequest[]): boolean {
    const { holder: { principal }, wanted } = request
    const own = others.filter((other) => other !== request && other.holder.principal === principal)
    const kept = own.reduce((sum, other) => sum + other.wanted.length, 0)
    return kept > 0 && Math.max(heldBy(principal), heldAtLast.get(principal) ?? 0) + kept + wanted.length > maxPerHolder
  }

  /** A lease does not outlive the incarnation it is for, nor the patience of an operator. */
  function checkDevice (lease: ModelLease) {
    const { boot, sinceMs, drain, holdSetAtStep } = phoneOf(model, lease.deviceId)
    const sinceBothMs = Math.max(sinceMs, lease.restartedAtMs ?? 0)
    if (boot === undefined) assert.ok(nowMs() - sinceBothMs <= settings.recoveryMs + noticeMs, `${lease.handle} goes on though its device is gone`)
    else if (boot !== lease.bootId) assert.ok(nowMs() - sinceBothMs <= noticeMs, `${lease.handle} goes on though its device has restarted`)
    if (drain?.deadlineAtMs !== undefined && holdSetAtStep !== model.step) assert.ok(nowMs() - Math.max(drain.deadlineAtMs, lease.restartedAtMs ?? 0) < 1_000, `${lease.handle} goes on after the deadline of a drain`)
  }

  function checkOrder () {
    const open = model.requests.filter(({ state }) => state === 'open')
    for (const served of model.requests) {
      if (served.state !== 'granted' || served.isCompared) continue
      served.isCompared = true
      for (const waiting of open) {
        const isEqual = waiting.priority === served.priority && JSON.stringify(waiting.wanted) === JSON.stringify(served.wanted)
        if (!isEqual || waiting.step >= served.step) continue
        // Asking a device that turns out to be away, one may miss another that was free meanwhile.
        const isUnlucky = model.phones.some((phone) => fits(phone, waiting.wanted) && (phone.boot === undefined || phone.disturbedAtStep === model.step))
        assert.ok(isUnlucky || isLimited(waiting) || isHeldBack(waiting, open), `${served.name} overtook ${waiting.name}`)
      }
    }
  }

  async function check () {
    await look()
    const devices = await leases().devices()
    const listed = await leases().list()
    const live = [...model.leases.values()].filter(({ end }) => end === undefined)
    assert.deepEqual(listed.map(({ handle }) => handle).sort(), live.map(({ handle }) => handle).sort(), 'the live leases are those that somebody was told of')
    for (const { handle, expiresAtMs, fence, holder } of listed) {
      const lease = model.leases.get(handle)
      assert.ok(lease)
      assert.deepEqual({ fence, holder }, { fence: lease.fence, holder: lease.holder })
      const inMs = expiresAtMs - world.wallMs() + nowMs()
      assert.ok(inMs >= lease.expires.fromMs - 1 && inMs <= lease.expires.untilMs + 1, `the expiry of ${handle} is ${inMs}, not ${JSON.stringify(lease.expires)}`)
    }
    for (const holder of holders) {
      assert.ok(listed.filter((lease) => lease.holder.principal === holder.principal).length <= maxPerHolder, 'a holder has more leases than it may')
    }
    const holder = holders[model.step % holders.length]
    assert.ok((await leases().list(holder)).every((lease) => lease.holder.principal === holder?.principal), 'a list shows somebody else\'s lease')
    for (const { description: { id }, state, holds, lease } of devices) {
      const phone = phoneOf(model, id)
      // What operators order of a device that leaves, it may not hear any more.
      phone.isHoldOpen ||= phone.removal !== undefined
      const drain = holds.find(({ kind }) => kind === 'drain')
      const isBlocked = holds.some(({ kind }) => kind === 'block')
      if (phone.isHoldOpen) {
        phone.isBlocked = isBlocked
        phone.drain = drain && (drain.deadlineAtMs === undefined ? {} : { deadlineAtMs: drain.deadlineAtMs - world.wallMs() + nowMs() })
      }
      phone.isHoldOpen = false
      assert.deepEqual([isBlocked, drain !== undefined], [phone.isBlocked, phone.drain !== undefined], `the holds of ${id}`)
      const holderOf = live.find(({ deviceId }) => deviceId === id)
      if (holderOf !== undefined) assert.ok(['leased', 'draining', 'offline', 'gone'].includes(state), `${id} is leased and shown as ${state}`)
      if (state === 'free') {
        assert.equal(lease, undefined)
        assert.ok(phone.boot !== undefined || nowMs() - phone.sinceMs <= noticeMs, `${id} is shown as free though it is gone`)
        assert.ok(phone.isPlugged, `${id} is shown as free though its source does not have it`)
      }
      if (!phone.isInPool) assert.ok(holderOf !== undefined || state === 'cleaning', `${id} is ${state} in a pool that it has left`)
    }
    for (const { id, isInPool } of model.phones) {
      if (isInPool) assert.ok(devices.some(({ description }) => description.id === id), `${id} is not in the pool`)
    }
    await checkAfterwards()
    freeAtLast = model.phones.filter(({ id }) => devices.some(({ description, state }) => description.id === id && state === 'free'))
    checkWaiting(freeAtLast)
    checkUnused()
    await checkAudit()
    for (const { driver: { obeyed }, id } of world.phones) {
      assert.ok(obeyed.every(({ fence }, i) => i === 0 || fence >= (obeyed[i - 1]?.fence ?? 0)), `${id} obeyed a former holder`)
    }
  }

  /** What has ended stays ended, with its reason. */
  async function checkAfterwards () {
    const over = [...model.leases.values()].filter(({ end }) => end !== undefined)
    for (const { handle, end } of [...over.slice(0, 1), ...over.slice(-3)]) {
      assert.equal((await world.process.store.lease(handle))?.end?.reason, end, 'an ended lease stays as it ended')
    }
  }

  /** Nobody waits for what is free, unless it is kept for somebody in front. */
  function checkWaiting (free: readonly ModelPhone[]) {
    const open = model.requests.filter(({ state }) => state === 'open')
    const shown = leases().waiting()
    assert.deepEqual(shown.map(({ purpose }) => purpose).sort(), open.map(({ name }) => name).sort(), 'the queue has the requests that wait, and no others')
    for (const [i, request] of open.entries()) {
      assert.ok(nowMs() < request.joinedAtMs + request.waitMs, `${request.name} waits for longer than it wanted`)
      const places = shown.map(({ purpose }) => purpose)
      const others = open.filter((other, j) => j !== i && other.wanted.length > 1 && free.some((phone) => fits(phone, other.wanted)))
      const isKept = others.some(({ name }) => places.indexOf(name) < places.indexOf(request.name))
      const inFront = open.filter(({ name }) => places.indexOf(name) < places.indexOf(request.name))
      const isPossible = canBeMet(request.wanted, free)
      assert.ok(isKept || isLimited(request) || isHeldBack(request, inFront) || !isPossible, `${request.name} waits though what it wants is free`)
      for (const later of open) {
        if (later.priority !== request.priority || later.step <= request.step) continue
        assert.ok(places.indexOf(request.name) < places.indexOf(later.name), `${later.name} stands before ${request.name}`)
      }
    }
  }

  /** A lease that is not used does not keep its phone from a request for long. */
  function checkUnused () {
    for (const request of model.requests) {
      if (request.state !== 'open' || isLimited(request) || isHeldBack(request, model.requests.filter(({ state }) => state === 'open'))) continue
      for (const lease of model.leases.values()) {
        const phone = phoneOf(model, lease.deviceId)
        if (lease.end !== undefined || lease.isUsed || lease.isClaimed || lease.runs.size > 0 || !fits(phone, request.wanted)) continue
        if (isHeld(phone) || phone.isHoldOpen || phone.boot === undefined || !phone.isPlugged || phone.removal !== undefined) continue
        const fromMs = Math.max(lease.grantedAtMs, lease.restartedAtMs ?? 0) + settings.firstUseMs
        assert.ok(nowMs() <= Math.max(fromMs, request.joinedAtMs, phone.sinceMs) + noticeMs, `${request.name} waits for ${lease.deviceId}, which is leased and not used`)
      }
    }
  }

  /** The audit has every grant and every end once. */
  async function checkAudit () {
    const rows = []
    let before: number | undefined
    for (;;) {
      const page = await leases().operations.audit({ limit: 50, ...(before === undefined ? {} : { before }) })
      rows.push(...page.filter(({ id }) => id > lastAuditId))
      const last = page.at(-1)
      if (last === undefined || last.id <= lastAuditId) break
      before = last.id
    }
    for (const { id, event, lease, reason } of rows.reverse()) {
      lastAuditId = id
      if (lease === undefined) continue
      const told = audited.get(lease) ?? { grants: 0, ends: [] }
      if (event === 'grant') told.grants++
      if (event === 'end') told.ends.push(reason ?? '')
      audited.set(lease, told)
    }
    for (const { handle, end } of model.leases.values()) {
      const { grants, ends } = audited.get(handle.slice(0, 6)) ?? { grants: 0, ends: [] }
      assert.deepEqual({ grants, ends: ends.map((reason) => reason.split(':')[0]) }, { grants: 1, ends: end === undefined ? [] : [end] }, 'the audit tells each grant and each end')
    }
    const known = new Set([...model.leases.keys()].map((handle) => handle.slice(0, 6)))
    for (const [lease, { grants, ends }] of audited) {
      if (!known.has(lease)) assert.deepEqual({ grants, ends: ends.length }, { grants: 1, ends: 1 }, 'who was never told of a lease does not have it')
    }
  }

  return {
    learnEnd,
    look,
    check,
    get free () { return freeAtLast }
  }
}
