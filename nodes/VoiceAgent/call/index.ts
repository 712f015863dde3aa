export { checkNumbers } from './checkNumbers.operation';
export { make } from './make.operation';
export { matchNumber } from './matchNumber.operation';
