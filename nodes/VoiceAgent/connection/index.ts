export { check } from './check.operation';
