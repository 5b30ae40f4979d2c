export type { Change, ChangesOptions } from './changes.ts';
export { type Answered, type Client, type ClientOptions, createClient, type RequestOptions } from './client.ts';
export type { EventPage, EventsOptions } from './events.ts';
export { type Fault, WatchpostError } from './problem.ts';
export type { RetryLimits, Runtime } from './retry.ts';
export { createEventReader, type ServerSentEvent } from './server-sent-events.ts';
export type { AnswerTo, CallOf, CallOptions, ItemOf, ListOperation, Operation, Schemas } from './types.ts';
export { signWebhook, verifyWebhook, type WebhookHeaders, WebhookVerificationError } from './webhooks.ts';
