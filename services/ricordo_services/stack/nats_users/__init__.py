"""Users of NATS: one for each worker, one or more for each tenant's bots, one for the operator.

Each tenant is an account of the server's own, into which the subjects of that tenant are imported and nothing
else. What a bot publishes elsewhere, subscribes to or names as the address of a reply stays in its account:
also where JetStream or a worker answers, who may do more than a bot.
"""
