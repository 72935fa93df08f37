import { readFileSync } from 'node:fs'

const launcher = readFileSync(new URL('../bin/machinist', import.meta.url), 'utf8')

/** How bin/machinist starts the daemon: memory for speed. */
export const leanFlags: readonly string[] = /^lean='(.*)'$/m.exec(launcher)![1]!.split(' ')

/** How bin/machinist starts the components of a cluster. */
export const modestFlags: readonly string[] = /^modest='(.*)'$/m.exec(launcher)![1]!.split(' ')

/** For glibc, which would otherwise keep what was freed. */
export const leanEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  launcher.matchAll(/\b(MALLOC_\w+)=(\d+)/g).map(([, name, value]) => [name, value]),
)
