"""The plots of best-effort communication: modes, quality of service, the torus, messages, experiments."""
