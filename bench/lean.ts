import { readFileSync } from 'node:fs'

const launcher = readFileSync(new URL('../bin/machinist', import.meta.url), 'utf8')

/** The flags of bin/machinist for the daemon: less memory, less speed. */
export const leanFlags: readonly string[] = /^lean='(.*)'$/m.exec(launcher)![1]!.split(' ')

/** The flags of bin/machinist for the components of a cluster. */
export const modestFlags: readonly string[] = /^modest='(.*)'$/m.exec(launcher)![1]!.split(' ')

/** Makes glibc return freed memory. */
export const leanEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  launcher.matchAll(/\b(MALLOC_\w+)=(\d+)/g).map(([, name, value]) => [name, value]),
)
