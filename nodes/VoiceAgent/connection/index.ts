export { check } from './check.operation';
export { explore } from './explore.operation';
