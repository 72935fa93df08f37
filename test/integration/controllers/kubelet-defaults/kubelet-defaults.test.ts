import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { kubeletDefaultsCases } from './cases.ts'

await onEmbeddedServer('kubelet defaults', kubeletDefaultsCases)
