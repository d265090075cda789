"""Online banking of one retail customer in the United States.

Covers: checking, savings and credit accounts, payees, transfers and payments, standing payments, cards, disputes, and
the bank's secure inbox with its one-time codes. Money leaves only with the customer's PIN, which no tool shows; adding
a payee, a payment above 1,000 dollars and a higher card limit also need a one-time code, which the bank sends to the
inbox on request.

Does not cover: the bank's night run (standing payments are carried out, pending transactions are posted, interest is
paid), which only the history of a world has seen (seed/). A world opens at 9:00 and a write takes a minute, so a
session would need some 900 successful writes to see a night; what the clock alone decides (a code that runs out, an
expired card, the daily limit) is worked out on reading.
"""

from proverl.world.domain import Server

from .seed import build
from .tools import accounts, cards, inbox, payees, scheduled_payments, transactions

server = Server(
    "banking",
    package=__name__,
    category="Finance",
    about="""Online banking of one retail customer: deposit and credit accounts, payees, cards, standing payments and
        disputes. Money leaves only with the customer's PIN; riskier steps also need a one-time code that the bank
        sends on request.""",
    tools=[accounts, transactions, payees, scheduled_payments, cards, inbox],
    seed=build,
    discovery=[
        "list_bank_accounts",
        "search_bank_transactions",
        "list_payees",
        "list_scheduled_payments",
        "list_bank_cards",
    ],
    opens=9,
    offset=-7,  # Arizona, which keeps no summer time: the bank's times have one offset all year
)
