/** Whether a value has to be waited for. What is at hand is used at once: each wait costs a turn of the queue. */
export function isPromise<T> (value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise
}
