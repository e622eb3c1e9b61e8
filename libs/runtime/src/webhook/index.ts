export * from './certificate-controller.ts';
export { issueCertificate } from './certificate-authority.ts';
export type { IssuedCertificate, IssueOptions } from './certificate-authority.ts';
export type { ClientCertificates } from './client-certificate.ts';
export { converting, convertedVersion } from './conversion.ts';
export type {
  ConversionFunctions,
  ConversionWebhook,
  Converted,
  ConvertedVersion,
  ConvertingOptions,
} from './conversion.ts';
export { readConversionReview } from './conversion-review.ts';
export type { ConversionRequest } from './conversion-review.ts';
export type { ListenerLimits } from './limits.ts';
export * from './metrics.ts';
export * from './read-review.ts';
export * from './review.ts';
export * from './server.ts';
export * from './webhook.ts';
