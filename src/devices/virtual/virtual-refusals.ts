import { Refusal } from '../../refusals/refusal.ts'

/** There are as many virtual phones as one gateway may have. */
export class VirtualDeviceLimitRefusal extends Refusal {
  readonly code = 'virtual_device_limit'
  override readonly kind = 'limit'

  constructor (most: number) {
    super({
      message: `There are ${most} virtual phones, which is as many as there may be; one that leaves the pool counts until its lease is over.`,
      retryable: true,
      nextAction: 'Remove a virtual phone that is not needed any more, or wait until one has left the pool.',
      details: { most }
    })
  }
}
