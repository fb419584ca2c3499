import { App } from './app';
import { takeTokenFromAddress } from './client';
import { beginTheme } from './theme';

takeTokenFromAddress();
beginTheme();
const root = document.getElementById('app');
if (root) void new App(root).run();
