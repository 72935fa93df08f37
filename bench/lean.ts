/**
 * How the daemon is started, as in bin/machinist: memory for speed. It hears an event a second at most, so it needs no
 * compilers and no large nursery. Not --lite-mode or --jitless, which take WebAssembly away: Node strips types with it.
 */
export const leanFlags: readonly string[] = [
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--optimize-for-size',
  '--max-semi-space-size=1',
  '--expose-gc',
]

/** For glibc, which would otherwise keep what was freed. */
export const leanEnvironment: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_MMAP_THRESHOLD_: '65536',
}
