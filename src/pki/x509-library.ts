import './reflect-stand-in.ts'

/** The one place that knows the library. It costs 20 MB and a moment to load, so only what issues may import this. */
export {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  Pkcs10CertificateRequest,
  PublicKey,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate as LibraryCertificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
export type { Extension, JsonGeneralNames } from '@peculiar/x509'
