import { weather } from './chaos.ts'

/**
 * A long storm in a process of its own (node --expose-gc soak.ts <seed> <objects> <changes>): prints the size of the
 * heap, after a collection, at every tenth of the way.
 */
const [seed = 1, objects = 0, changes = 0] = process.argv.slice(2).map(Number)
const heaps: number[] = []
const { gc } = globalThis
if (!gc) throw new Error('run with --expose-gc')

await weather({
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
