import { App } from './app';
import { beginTheme } from './theme';

beginTheme();
const root = document.getElementById('app');
if (root) void new App(root).run();
