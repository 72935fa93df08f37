import { HostFailure } from '../host-failure.ts'

/** The HostFailure of an operation; undefined if it succeeds. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<{ code: string; message: string } | undefined> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown === undefined) return undefined
  if (!(thrown instanceof HostFailure)) throw thrown
  return { code: thrown.code, message: thrown.message }
}
