import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { componentFlows } from './controllers/flows.ts'
import { controllersReference, withComponentGraph } from './controllers/reference.ts'

/**
 * Writes docs/controllers.md and the picture in ARCHITECTURE.md from the inputs and outputs of all controllers. With --check it
 * writes nothing and fails if a committed file is outdated.
 */
const root = join(import.meta.dirname, '..')
const components = await componentFlows()
const reference = join(root, 'docs/controllers.md')
const architecture = join(root, 'ARCHITECTURE.md')
const texts = new Map([
  [reference, await controllersReference(components)],
  [architecture, await withComponentGraph(readFileSync(architecture, 'utf8'), components)],
])

for (const [file, text] of texts) {
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(
      `${file.slice(root.length + 1)} is outdated: run \`node scripts/generate-controllers.ts\` and commit the result.`,
    )
    process.exitCode = 1
  }
}
