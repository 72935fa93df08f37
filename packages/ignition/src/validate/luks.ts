import { utf8Length } from '@machinist/core/encoding/bytes'
import type { Clevis, ClevisCustom, Luks, Tang } from '../spec/config.ts'
import { isJson } from '../json/json.ts'
import type { Place } from '../report/report.ts'
import type { Spec } from '../spec/version.ts'
import { specAtLeast } from '../spec/version.ts'
import { checkPath } from './paths.ts'
import { checkResource } from './resources.ts'
import { splitUrl } from './urls.ts'

export function checkLuks(luks: Luks, spec: Spec, place: Place): void {
  if (luks.name.includes('/')) place.at('name').error('cannot contain "/"')
  if (utf8Length(luks.label ?? '') > 47) {
    place.at('label').error('cannot be longer than 47 bytes')
  }
  checkPath(luks.device ?? '', place.at('device'))
  if (luks.keyFile) checkResource(luks.keyFile, spec, place.at('keyFile'))
  if (luks.clevis) checkClevis(luks.clevis, spec, place.at('clevis'))
  if (luks.cex?.enabled === true) checkCex(luks, place.at('cex'))
}

function checkCex({ clevis, keyFile }: Luks, place: Place): void {
  if (clevis && (clevis.custom?.pin || hasOwnPins(clevis))) {
    place.error('cannot be used together with clevis')
  }
  if (keyFile?.source) place.error('cannot be used together with keyFile')
}

function checkClevis(clevis: Clevis, spec: Spec, place: Place): void {
  const { custom, tang = [] } = clevis
  // In 3.2 the presence of `custom` is sufficient.
  const customUsed = specAtLeast(spec, '3.3') ? Boolean(custom?.pin) : custom !== undefined
  if (customUsed && hasOwnPins(clevis)) {
    place.error('custom cannot be used together with tpm2, tang or threshold')
  }
  if (custom) checkCustom(custom, spec, place.at('custom'))
  for (const [i, server] of tang.entries()) checkTang(server, place.at('tang', i))
}

const hasOwnPins = ({ tang = [], tpm2, threshold = 0 }: Clevis): boolean =>
  tang.length > 0 || tpm2 === true || threshold !== 0

const pins = ['tpm2', 'tang', 'sss']

function checkCustom(custom: ClevisCustom, spec: Spec, place: Place): void {
  const { pin = '', config = '', needsNetwork } = custom
  const networkCounts = specAtLeast(spec, '3.3') && needsNetwork === true
  if (pin === '' && config === '' && !networkCounts) return
  if (!pins.includes(pin)) place.at('pin').error(`must be one of ${pins.join(', ')}`)
  if (config === '') place.at('config').error('is required for a custom pin')
}

function checkTang({ url = '', thumbprint, advertisement }: Tang, place: Place): void {
  if (!['http', 'https'].includes(splitUrl(url)?.scheme ?? '')) {
    place.at('url').error('must be a URL that begins with http: or https:')
  }
  if (!thumbprint) place.at('thumbprint').error('is required')
  if (advertisement && !isJson(advertisement)) place.at('advertisement').error('must be valid JSON')
}
