import type { Config } from '../spec/config.ts'
import type { Item } from '../spec/field.ts'
import { Place, Report } from '../report/report.ts'
import { configShape } from '../spec/shape.ts'
import type { Spec } from '../spec/version.ts'
import { specOf, specs, versionText } from '../spec/version.ts'
import { rejectDuplicates } from './duplicates.ts'
import { checkIgnition } from './ignition-section.ts'
import { checkPasswords } from './passwords.ts'
import { checkStorage } from './storage.ts'
import { checkUnitPaths, checkUnits } from './units.ts'

/** Validates a config with the rules of its version. */
export function validate(config: Config): Report {
  const report = new Report()
  const place = new Place(report)
  const spec = specOf(config.ignition.version)
  if (spec) checkConfig(config, spec, place)
  else place.at('ignition', 'version').error(`must be one of ${specs.map(versionText).join(', ')}`)
  return report
}

function checkConfig(config: Config, spec: Spec, place: Place): void {
  checkIgnition(config.ignition, spec, place.at('ignition'))
  if (config.storage) checkStorage(config.storage, spec, place.at('storage'))
  if (config.passwd) checkPasswords(config.passwd, place.at('passwd'))
  checkUnits(config.systemd?.units ?? [], place.at('systemd', 'units'))
  checkUnitPaths(config, spec, place)
  rejectDuplicates(config as unknown as Item, configShape, place)
}
