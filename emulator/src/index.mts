export { type ApiKey, defaultApiKeys, type Permission, permissions } from './auth/permissions.mts';
export type { CallOutcome, Outcome, OutcomeRule } from './calls/outcomes.mts';
export type { Call, MakeCallRequest, ServiceInstructions } from './calls/schemas.mts';
export { type CertificateKind, certificateKinds } from './certificates.mts';
export type { EmulatorControl } from './control/control.mts';
export { createEmulator, type Emulator } from './emulator.mts';
export { ServiceError, StartError } from './errors.mts';
export type { AddedFault, Fault, FaultRule } from './faults/rule.mts';
export type { EmulatorEvent } from './logs/log.mts';
export type { LogEntry, RequestEntry } from './logs/schemas.mts';
export type { EmulatorOptions, HttpsOptions } from './options.mts';
export type { AddRecordingOptions } from './recordings/addRecording.mts';
export { RETENTION_MS } from './recordings/retention.mts';
export type {
	AddedRecording,
	LedgerEntry,
	Recording,
	Seed,
	TamperRequest,
} from './recordings/schemas.mts';
export type { RecordingFormat } from './schema.mts';
export { assumedShapes, type Shapes, type UnknownName, unknowns } from './profile/unknowns.mts';
export { type PresetName, presetNames } from './webhooks/presets.mts';
export type {
	CallEndBody,
	CallStartBody,
	Delivery,
	DeliveryOptions,
	WebhookTargets,
} from './webhooks/schemas.mts';
