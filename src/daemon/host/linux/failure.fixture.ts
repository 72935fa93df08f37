import { HostFailure } from '../host-failure.ts'

/** How something on a machine failed. */
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
