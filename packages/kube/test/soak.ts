import { runChaos } from './chaos.ts'

/**
 * Random faults over a long time in a separate process (node --expose-gc soak.ts <seed> <objects> <changes>): prints the
 * heap size after a garbage collection at every tenth.
 */
const [seed = 1, objects = 0, changes = 0] = process.argv.slice(2).map(Number)
const heaps: number[] = []
const { gc } = globalThis
if (!gc) throw new Error('run with --expose-gc')

await runChaos({
  seed,
  objects,
  changes,
  onProgress(done) {
    if (done < (heaps.length * changes) / 10) return
    gc()
    heaps.push(process.memoryUsage().heapUsed)
  },
})
process.stdout.write(JSON.stringify(heaps))
