import { CREDENTIAL_EMPTY_VALUE } from 'n8n-workflow';

/**
 * The values of an empty field of type password: before it is saved, and afterwards, when n8n shows
 * a text of its own in its place.
 */
export const EMPTY = ['', CREDENTIAL_EMPTY_VALUE];
