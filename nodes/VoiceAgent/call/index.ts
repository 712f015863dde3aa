export { checkNumbers } from './checkNumbers.operation';
export { make } from './make.operation';
