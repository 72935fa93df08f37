import { expect, it } from 'vitest'
import { readOsIdentity } from './os-identity.ts'

it.for([
  [
    'RHCOS 4.12',
    'ID="rhcos"\nID_LIKE="rhel fedora"\nVERSION="412.86.202301311516-0"\nVERSION_ID="4.12"\nVARIANT="CoreOS"\nVARIANT_ID=coreos\nRHEL_VERSION="8.6"\nOPENSHIFT_VERSION="4.12"\n',
    { id: 'rhcos', versionId: '8.6', variantId: 'coreos' },
  ],
  [
    'SCOS without the version of RHEL',
    'ID="scos"\nVERSION="413.9.202302130811-0"\nVERSION_ID="4.13"\nOPENSHIFT_VERSION="4.13"\n',
    { id: 'scos', versionId: '9.202302130811-0', variantId: '' },
  ],
  [
    'Fedora CoreOS',
    'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=40\nVERSION="40.20240416.3.1 (CoreOS)"\nVARIANT_ID=coreos\n',
    { id: 'fedora', versionId: '40', variantId: 'coreos' },
  ],
  [
    'Debian',
    'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nVERSION="12 (bookworm)"\nID=debian\n',
    { id: 'debian', versionId: '12', variantId: '' },
  ],
  ['nothing', '', { id: 'linux', versionId: '', variantId: '' }],
] as const)('%s', ([, text, expected]) => {
  expect(readOsIdentity(text)).toEqual(expected)
})
